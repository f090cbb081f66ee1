import type { ComponentType } from 'preact';
import { lazy } from 'preact-iso';
import { t } from '../text/translate.ts';
import { Empty, Page } from '../ui/Page.tsx';

/** A part of the console whose code is loaded when it is first shown, or before. */
// biome-ignore lint/suspicious/noExplicitAny: each screen has the parameters of its path
export type LazyComponent = ComponentType<any> & { preload(): Promise<unknown> };

const parts: LazyComponent[] = [];

/** What a module exports under a name. After an upgrade, a page that is still open asks for old files. */
export function screenFrom<Name extends string>(
  load: () => Promise<Record<Name, ComponentType<never>>>,
  name: Name,
): LazyComponent {
  const part = lazy(() =>
    load().then(
      (exported) => exported[name],
      () => NotLoaded,
    ),
  ) as LazyComponent;
  parts.push(part);
  return part;
}

/** Loads all parts, so that the next one appears at once, also after an upgrade of laurel. */
export function loadParts(): void {
  for (const part of parts) void part.preload();
}

const NotLoaded = () => (
  <Page title={t('This screen was not loaded')}>
    <Empty title={t('laurel cannot be reached, or was upgraded')}>
      <button type="button" onClick={() => location.reload()}>
        {t('Reload')}
      </button>
    </Empty>
  </Page>
);
