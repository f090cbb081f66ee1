import { t } from '../../text/translate.ts';
import { Dialog } from '../Dialog.tsx';
import { discardAndLeave, leaving } from './unsaved.ts';

/** Asks before unsaved input is lost. */
export function UnsavedQuestion() {
  if (leaving.value === null) return null;
  const stay = (): void => {
    leaving.value = null;
  };
  return (
    <Dialog title={t('Leave without saving?')} onClose={stay}>
      <p>{t('Your changes are not saved.')}</p>
      <div class="row end">
        <button type="button" onClick={stay}>
          {t('Stay')}
        </button>
        <button type="button" class="danger" onClick={discardAndLeave}>
          {t('Leave')}
        </button>
      </div>
    </Dialog>
  );
}
