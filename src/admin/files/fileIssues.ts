/** What is wrong with a configuration file, and where. */

export interface FileIssue {
  /** Such as `points[0].triggers[2].metric`; empty for the file as a whole. */
  path: string;
  message: string;
}

/** The path itself and those of everything around it. */
function* outward(path: string): Generator<string> {
  for (const { index } of path.matchAll(/[.[]/g)) if (index > 0) yield path.slice(0, index);
  yield path;
}

/** A set of paths that knows what is inside and around them. */
export class FilePaths {
  readonly #paths = new Set<string>();
  /** The paths and those of everything around them. */
  readonly #around = new Set<string>();

  constructor(paths: Iterable<string> = []) {
    for (const path of paths) this.add(path);
  }

  add(path: string): void {
    this.#paths.add(path);
    for (const outer of outward(path)) this.#around.add(outer);
  }

  /** Whether the set has the path, or one inside it. */
  hasWithin(path: string): boolean {
    return this.#around.has(path);
  }

  /** Whether the set has the path, or one around it. */
  hasAround(path: string): boolean {
    for (const outer of outward(path)) if (this.#paths.has(outer)) return true;
    return false;
  }
}

/** The issues found in one file, at most one for each path. */
export class FileIssues {
  readonly list: FileIssue[] = [];
  readonly #paths = new FilePaths();

  /** Ignores an issue about a path if there is one about it, or about something inside it, already. */
  add(path: string, message: string): void {
    if (this.#paths.hasWithin(path)) return;
    this.ignore(path);
    this.list.push({ path, message });
  }

  /** Adds nothing about this path from now on. */
  ignore(path: string): void {
    this.#paths.add(path);
  }
}
