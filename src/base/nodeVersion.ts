import { packageManifest } from './packageRoot.ts';

/** @returns why a Node of this version does not run laurel; null if it does */
export function tooOld(version: string): string | null {
  const needed = packageManifest().engines.node.replace('>=', '');
  if (version.localeCompare(needed, 'en', { numeric: true }) >= 0) return null;
  return `Node ${version} is too old: install Node ${needed} or newer, such as from https://nodejs.org`;
}
