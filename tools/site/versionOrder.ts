/** Versions of Semantic Versioning, the newest first: 1.10.0, 1.9.0, 1.9.0-rc.2, 1.9.0-rc.1. */
export const newestFirst = (versions: string[]): string[] =>
  versions.toSorted((a, b) => {
    const [core, otherCore] = [a, b].map((version) => version.split('-', 1)[0]!);
    if (core !== otherCore) return compareParts(otherCore!, core!);
    const [isRelease, isOtherRelease] = [a, b].map((version) => !version.includes('-'));
    return isRelease === isOtherRelease ? compareParts(b, a) : isRelease ? -1 : 1;
  });

const compareParts = (a: string, b: string): number => a.localeCompare(b, 'en', { numeric: true });
