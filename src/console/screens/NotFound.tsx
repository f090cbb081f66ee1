import { Empty, Page } from '../ui/Page.tsx';

export function NotFound() {
  return (
    <Page title="Not found">
      <Empty title="This page does not exist">
        <a href="/console">Go to the overview</a>
      </Empty>
    </Page>
  );
}
