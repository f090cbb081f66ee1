import type { ListActivations } from '../../contract/activation.ts';
import {
  type ActivationRow,
  listActivations as readActivations,
} from '../../db/configuration/activations.ts';
import { type OperationRequest, type OperationResponse, ok } from '../request/endpoint.ts';

/** GET /admin/v1/activations */
export async function listActivations({
  service,
  rules,
  query,
}: OperationRequest<typeof ListActivations>): Promise<OperationResponse<typeof ListActivations>> {
  return ok((await readActivations(service.pool, rules.tenant, query)).map(activationView));
}

function activationView(
  activation: ActivationRow,
): OperationResponse<typeof ListActivations>['body'][number] {
  const { activated, version, usersDone, usersTotal, dueAt, finishedAt } = activation;
  return {
    activated,
    version,
    status: finishedAt !== null ? 'finished' : usersTotal !== null ? 'running' : 'waiting',
    done: usersDone,
    total: usersTotal,
    due: dueAt.toISOString(),
    finished: finishedAt?.toISOString() ?? null,
  };
}
