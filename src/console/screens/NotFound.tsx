import { t } from '../text/translate.ts';
import { Empty, Page } from '../ui/Page.tsx';

export function NotFound() {
  return (
    <Page title={t('Not found')}>
      <Empty title={t('This page does not exist')}>
        <a href="/console">{t('Go to the overview')}</a>
      </Empty>
    </Page>
  );
}
