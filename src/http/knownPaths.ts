import { ServiceError } from '../base/errors.ts';

/**
 * Answers for requests that no route takes: 405 if the path exists for other methods, else 404 (RFC 9110,
 * 15.5.6).
 */
export class KnownPaths {
  readonly #patterns: { segments: string[]; method: string }[] = [];

  /** @param pattern such as /v1/users/{id} or /console/* */
  add(method: string, pattern: string): void {
    this.#patterns.push({ segments: pattern.split('/'), method });
  }

  refusal(method: string, path: string): ServiceError {
    const allowed = this.#methodsOf(path);
    if (allowed.size === 0) {
      const isUnversioned = this.#methodsOf(`/v1${path}`).size > 0;
      const hint = isUnversioned
        ? `did you mean /v1${path}?`
        : '/docs has all calls; write a / inside of an id as %2F';
      return new ServiceError('notFound', `${method} ${path} does not exist; ${hint}`);
    }
    const list = [...allowed].sort().join(', ');
    return new ServiceError('wrongMethod', `${path} takes ${list}, not ${method}`, { Allow: list });
  }

  #methodsOf(path: string): Set<string> {
    const segments = path.split('/');
    return new Set(
      this.#patterns.filter((known) => matches(known.segments, segments)).map((known) => known.method),
    );
  }
}

function matches(pattern: string[], segments: string[]): boolean {
  const isOpen = pattern.at(-1) === '*';
  const fixed = isOpen ? pattern.slice(0, -1) : pattern;
  const fits = isOpen ? segments.length >= pattern.length : segments.length === pattern.length;
  return (
    fits &&
    fixed.every((segment, i) => (segment.startsWith('{') ? segments[i] !== '' : segment === segments[i]))
  );
}
