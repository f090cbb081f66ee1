/** What `npx shadcn init` makes in a project. */
export function cn(...classes: (string | false | null | undefined)[]): string;
