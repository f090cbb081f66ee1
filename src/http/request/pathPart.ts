import { ServiceError } from '../../base/errors.ts';

/** One part of a path, percent-decoded; ids and keys may hold slashes and any Unicode that way. */
export function decodePathPart(part: string | undefined): string {
  if (part === undefined) return '';
  if (!part.includes('%')) return part;
  let decoded: string;
  try {
    decoded = decodeURIComponent(part);
  } catch {
    throw new ServiceError('malformed', `${part} in the path is not percent-encoded UTF-8`);
  }
  if (decoded.includes('\0')) throw new ServiceError('invalid', 'The path must not contain the NUL character');
  return decoded;
}
