import { useEffect, useRef } from 'preact/hooks';
import type { PreviewMessage } from '../../../contract/configured/messageDrafts.ts';
import type { ResponseOf } from '../../../contract/operation.ts';
import { formatValue } from '../../text/format.ts';
import { t } from '../../text/translate.ts';
import { Table } from '../../ui/Table.tsx';

type Variable = ResponseOf<typeof PreviewMessage>['variables'][number];
type Field = HTMLInputElement | HTMLTextAreaElement;

const BODY = 'textarea[name=body]';
const TEXTS = `input[name=subject], ${BODY}`;

/** Variables of subject and body. A click inserts one at the last position of the cursor. */
export function MessageVariables({ variables }: { variables: readonly Variable[] }) {
  const last = useRef<Field | null>(null);
  useEffect(() => {
    const remember = ({ target }: FocusEvent): void => {
      if ((target as HTMLElement).matches?.(TEXTS)) last.current = target as Field;
    };
    document.addEventListener('focusin', remember);
    return () => document.removeEventListener('focusin', remember);
  }, []);
  const insert = (name: string): void => {
    const field = last.current?.isConnected ? last.current : document.querySelector<Field>(BODY);
    if (!field) return;
    const { selectionStart, selectionEnd, value } = field;
    const [from, to] = [selectionStart ?? value.length, selectionEnd ?? value.length];
    field.setRangeText(`{{ ${name} }}`, from, to, 'end');
    field.dispatchEvent(new Event('input', { bubbles: true }));
    field.focus();
  };
  return (
    <details>
      <summary>{t('Variables')}</summary>
      <Table
        label={t('Variables')}
        rows={variables}
        keyOf={({ name }) => name}
        columns={[
          {
            title: t('Variable'),
            cell: ({ name }) => (
              <button type="button" class="quiet code" onClick={() => insert(name)}>
                {name}
              </button>
            ),
          },
          { title: t('Value'), cell: ({ value }) => <span class="clipped">{formatValue(value)}</span> },
        ]}
      />
    </details>
  );
}
