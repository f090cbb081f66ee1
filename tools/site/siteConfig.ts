import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type DefaultTheme, defineConfigWithTheme } from 'vitepress';
import { packageRoot, packageVersion } from '../../src/base/packageRoot.ts';
import { dropForeignLinks, githubSlug, groupLabelledCode, keepBraces } from './markdown.ts';
import { withPolicy } from './pagePolicy.ts';

/** Pages of docs/ and the reference, as main.ts puts them together. */
const SOURCE = join(packageRoot(), 'dist/site-source');

/** The sections of a page that lists pages, each with its links. */
function sidebarOf(folder: string): DefaultTheme.SidebarItem[] {
  const [, ...sections] = readFileSync(join(SOURCE, folder, 'index.md'), 'utf8').split(/^## /m);
  return sections.map((section) => {
    const [title] = section.split('\n', 1) as [string];
    const links = [...section.matchAll(/^- \[(.+?)\]\((.+?)\)/gm)];
    const items = links.map(([, text, link]) => ({ text: text!, link: `/${join(folder, link!)}` }));
    return { text: title, items };
  });
}

const base = process.env.LAUREL_SITE_BASE || '/docs/';

/** What the switch of versions reads of the theme. */
type Theme = DefaultTheme.Config & { version: string };

export default defineConfigWithTheme<Theme>({
  title: 'laurel',
  description: 'Streaks, XP, levels, achievements, leagues and leaderboards that you host yourself.',
  base,
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: `${base}laurel.svg` }]],
  metaChunk: true,
  transformHtml: withPolicy,
  ignoreDeadLinks: [/^https?:\/\/localhost/],
  markdown: {
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    anchor: { slugify: githubSlug },
    config: (md) => {
      groupLabelledCode(md);
      dropForeignLinks(md);
      keepBraces(md);
    },
  },
  themeConfig: {
    version: packageVersion(),
    logo: '/laurel.svg',
    search: { provider: 'local' },
    nav: [
      { text: 'Begin', link: '/getting-started' },
      { text: 'Configuration', link: '/configuration' },
      { text: 'Reference', link: '/reference/' },
      { text: packageVersion(), link: '/changelog' },
    ],
    sidebar: { '/reference/': sidebarOf('reference'), '/': sidebarOf('') },
    outline: [2, 3],
  },
});
