import { ServiceError } from '../../base/errors.ts';
import type { ExpectedVersion } from '../../engine/configuration/changedSince.ts';
import { type ApplyReport, reportOf } from './applyReport.ts';

/** The tag of a version of the configuration in `ETag` and `If-Match`. */
export const tagOf = (version: number): string => `"${version}"`;

/** The version of the configuration that the caller has read and expects. */
export function expectVersion(version: number, now: number): ExpectedVersion {
  return {
    version,
    refusal: (before, current, changes) => {
      const headers = { ETag: tagOf(current.version) };
      if (before === null) {
        const message = `If-Match names version ${version}, which is not recorded; the configuration has version ${current.version}`;
        const nothing = { created: [], updated: [], deleted: [], version: current.version };
        return new ServiceError('changed', message, headers, nothing);
      }
      const report = reportOf(before, current, changes, now);
      const message = `${namesIn(report)} changed since version ${version}: read it again`;
      return new ServiceError('changed', message, headers, { ...report });
    },
  };
}

/** `metrics "lessons" (name, units)` */
function namesIn({ created, updated }: ApplyReport): string {
  const named = [
    ...created.map(({ kind, key }) => `${kind} "${key}"`),
    ...updated.map(
      ({ kind, key, changes }) => `${kind} "${key}" (${changes.map(({ field }) => field).join(', ')})`,
    ),
  ];
  return named.join(', ');
}
