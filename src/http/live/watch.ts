import type { HttpRequest, HttpResponse } from 'uWebSockets.js';
import { ServiceError } from '../../base/errors.ts';
import type { Runner } from '../request/endpoint.ts';
import { decodePathPart } from '../request/parameters.ts';
import type { Service } from '../request/service.ts';
import type { Watch } from './liveReads.ts';

/**
 * Makes watches on an operation that names one thing in its path. Beside the query of the operation there may be `apiKey`
 * and `tenantId`, since browsers give neither a WebSocket nor an EventSource headers. Only an application key may stand
 * there, for addresses end up in logs.
 * The function throws ServiceError `unauthorized` or `forbidden`; `read` rejects as `Tenants.rulesFor` does.
 */
export function createWatcher({
  admit,
  run,
}: Runner): (service: Service, res: HttpResponse, req: HttpRequest) => Watch {
  return (service, res, req) => {
    const query = new URLSearchParams(req.getQuery() ?? '');
    const shown = query.get('apiKey');
    const tenantId = query.get('tenantId') ?? req.getHeader('tenant-id');
    query.delete('apiKey');
    query.delete('tenantId');
    const presented = shown ?? req.getHeader('x-api-key');
    const key = service.admission.admit(res, req, presented);
    if (shown !== null && key.kind !== 'application') {
      throw new ServiceError('unauthorized', 'apiKey must be an application key; an admin key goes into X-API-KEY');
    }
    const path = [decodePathPart(req.getParameter(0))];
    const text = query.toString();
    admit(key, path, text);
    return {
      name: JSON.stringify([key.tenant, tenantId, req.getUrl(), text]),
      read: async () => {
        const known = await service.tenants.rulesFor(key, { getHeader: () => tenantId });
        const rules = (await service.rulesStore.loadNewer(known)) ?? known;
        return (await run({ service, rules, key }, path, text, undefined)).text;
      },
      assertValid: () => void service.apiKeys.authenticate(presented),
    };
  };
}
