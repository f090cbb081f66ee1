import type { HttpRequest, HttpResponse } from 'uWebSockets.js';
import { ServiceError } from '../../base/errors.ts';
import { presentedKey } from '../request/admission.ts';
import type { Runner } from '../request/endpoint.ts';
import { decodePathPart } from '../request/parameters.ts';
import type { Service } from '../request/service.ts';
import type { Watch } from './liveReads.ts';
import { RankingPages } from './rankingPages.ts';
import { WatchedLeaderboard } from './watchedLeaderboard.ts';

/**
 * Makes watches of leaderboards. Beside the query of `GET /leaderboards/{key}` there may be `apiKey` and
 * `tenantId`, since browsers give neither a WebSocket nor an EventSource headers. Only an application key may
 * stand there, for addresses end up in logs. The function throws ServiceError `unauthorized` or `forbidden`;
 * `read` rejects as `Tenants.rulesFor` does.
 */
export function createWatcher({
  admit,
}: Runner): (service: Service, res: HttpResponse, req: HttpRequest) => Watch {
  return (service, res, req) => {
    const query = new URLSearchParams(req.getQuery() ?? '');
    const shown = query.get('apiKey');
    const tenantId = query.get('tenantId') ?? req.getHeader('tenant-id');
    query.delete('apiKey');
    query.delete('tenantId');
    const presented = shown ?? presentedKey(req);
    const key = service.admission.admit(res, req, presented);
    if (shown !== null && key.kind !== 'application') {
      throw new ServiceError(
        'unauthorized',
        'apiKey must be an application key; an admin key goes into X-API-KEY',
      );
    }
    const path = [decodePathPart(req.getParameter(0))];
    const text = query.toString();
    admit(key, path, text);
    let watched: WatchedLeaderboard | null = null;
    const watch: Watch = {
      name: '',
      keyId: key.kind === 'application' ? key.id : null,
      tenant: null,
      read: async () => {
        let rules = await service.tenants.rulesFor(key, { getHeader: () => tenantId });
        if (watched === null) {
          rules = (await service.rulesStore.loadNewer(rules)) ?? rules;
          watched = new WatchedLeaderboard(service, pagesOf(service), key, path[0]!, text);
        }
        watch.tenant = rules.tenant;
        watch.name ||= JSON.stringify([rules.tenant, path, text, watched.readerOf(rules)]);
        return watched.read(rules);
      },
      assertValid: () => void service.apiKeys.authenticate(presented),
    };
    return watch;
  };
}

const pages = new WeakMap<Service, RankingPages>();

/** All watches of a server share them. */
function pagesOf(service: Service): RankingPages {
  let known = pages.get(service);
  if (known === undefined) {
    known = new RankingPages();
    pages.set(service, known);
  }
  return known;
}
