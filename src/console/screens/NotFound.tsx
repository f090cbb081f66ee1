import { Empty, Page } from '../ui/Page.tsx';

export function NotFound() {
  return (
    <Page title="Not found">
      <Empty title="There is no such screen">
        <a href="/console">Go to the overview</a>
      </Empty>
    </Page>
  );
}
