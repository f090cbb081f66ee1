import { formatDate, formatNumber, NONE } from '../../text/format.ts';
import { t } from '../../text/translate.ts';
import { labelOf, namedChoice, WEEKDAYS } from './labels.ts';
import { useChoices } from './references.ts';
import { isEmpty, referenceOf } from './schema.ts';

const DATE = /^\d{4}-\d\d-\d\d$/;

/** A value of the configuration, with names instead of ids. */
export function ValueText({ path, value }: { path: string[]; value: unknown }) {
  if (isEmpty(value) || (Array.isArray(value) && value.length === 0)) return <>{NONE}</>;
  if (Array.isArray(value)) {
    return (
      <>
        {value.map((item, i) => (
          <div key={i}>
            <ValueText path={path} value={item} />
          </div>
        ))}
      </>
    );
  }
  if (typeof value === 'object') {
    return (
      <>
        {Object.entries(value!).map(([name, part]) => (
          <div key={name}>
            {labelOf([...path, name])}: <ValueText path={[...path, name]} value={part} />
          </div>
        ))}
      </>
    );
  }
  if (typeof value === 'boolean') return <>{value ? t('yes') : t('no')}</>;
  if (path.at(-1) === 'daysOff') return <>{WEEKDAYS.find((day) => day.value === String(value))?.label}</>;
  if (typeof value === 'number') return <>{formatNumber(value)}</>;
  return <NamedText path={path} text={String(value)} />;
}

function NamedText({ path, text }: { path: string[]; text: string }) {
  const items = useChoices(referenceOf(path));
  const name = items?.find((item) => item.value === text)?.label;
  return <>{name ?? namedChoice(path, text) ?? (DATE.test(text) ? formatDate(text) : text)}</>;
}
