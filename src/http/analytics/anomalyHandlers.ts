import type { ListAnomalies } from '../../contract/anomalies.ts';
import { readAnomalies } from '../../db/analytics/anomalyRows.ts';
import { dateOfDay } from '../../rules/calendar.ts';
import { type OperationRequest, type OperationResponse, ok } from '../request/endpoint.ts';
import { findMetric } from '../request/find.ts';
import { readRange } from './range.ts';

/** GET /admin/v1/analytics/anomalies?from=&to=&metric=&limit=&skip= */
export async function listAnomalies(
  call: OperationRequest<typeof ListAnomalies>,
): Promise<OperationResponse<typeof ListAnomalies>> {
  const { service, rules, query } = call;
  const { metric, ...page } = query;
  const range = readRange(call, { ...query, interval: 'day' });
  const no = metric === undefined ? null : findMetric(rules, metric).no;
  const found = await readAnomalies(service.history.final, rules.tenant, range, no, page);
  const anomalies = found.flatMap(({ day, metric: of, userId, value, bound, median }) => {
    const known = rules.findByNo('metrics', of);
    return known === null ? [] : [{ date: dateOfDay(day), metric: known.key, userId, value, bound, median }];
  });
  return ok({ anomalies });
}
