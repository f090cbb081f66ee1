import { useAddress } from '../../api/useAddress.ts';
import { rich } from '../../text/richText.ts';
import { t } from '../../text/translate.ts';
import { AuditLog } from '../configuration/AuditLog.tsx';
import { KIND_GROUPS, kindName } from './auditKinds.ts';

/** The audit log; the address filters it by kind and by the person or key. */
export function AuditScreen() {
  const { query, change } = useAddress();
  const { kind, actor } = query;
  return (
    <>
      <div class="row">
        <select
          aria-label={t('Kind of change')}
          value={kind ?? ''}
          onChange={(event) => change({ kind: event.currentTarget.value })}
        >
          <option value="">{t('All changes')}</option>
          {KIND_GROUPS.map(({ title, kinds }) => (
            <optgroup key={title} label={title}>
              {kinds.map((one) => (
                <option key={one} value={one}>
                  {kindName(one)}
                </option>
              ))}
            </optgroup>
          ))}
        </select>
        {actor && (
          <>
            <span>{rich(t('Only by {actor}'), { actor: <strong>{actor}</strong> })}</span>
            <button type="button" onClick={() => change({ actor: '' })}>
              {t('Show changes by everyone')}
            </button>
          </>
        )}
      </div>
      <AuditLog key={`${kind} ${actor}`} kind={kind} actor={actor} />
    </>
  );
}
