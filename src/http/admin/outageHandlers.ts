import { systemClock } from '../../base/clock.ts';
import { OUTAGE_SEEN_MS_MAX } from '../../base/healthLimits.ts';
import type { ListOutages } from '../../contract/outages.ts';
import { readOutages } from '../../db/outageRows.ts';
import { type OperationRequest, type OperationResponse, ok } from '../request/endpoint.ts';

/** GET /admin/v1/outages */
export async function listOutages({
  service,
}: OperationRequest<typeof ListOutages>): Promise<OperationResponse<typeof ListOutages>> {
  const lastsSince = systemClock.now() - OUTAGE_SEEN_MS_MAX;
  const outages = await readOutages(service.pool);
  return ok(
    outages.map(({ cause, began, seen }) => ({
      cause,
      began: began.toISOString(),
      ended: seen.getTime() >= lastsSince ? null : seen.toISOString(),
      seconds: (seen.getTime() - began.getTime()) / 1_000,
    })),
  );
}
