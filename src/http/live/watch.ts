import type { HttpRequest, HttpResponse } from 'uWebSockets.js';
import { ServiceError } from '../../base/errors.ts';
import { presentedKey, withKey } from '../request/admission.ts';
import type { ApiKey } from '../request/apiKeys.ts';
import type { Runner } from '../request/endpoint.ts';
import { decodePathPart } from '../request/parameters.ts';
import type { Service } from '../request/service.ts';
import { namingTenant, readTenantId } from '../request/tenantHeader.ts';
import type { Watch } from './liveReads.ts';
import { RankingPages } from './rankingPages.ts';
import { WatchedLeaderboard } from './watchedLeaderboard.ts';

/**
 * Makes watches of leaderboards. Beside the query of `GET /leaderboards/{key}` there may be `access_token` or
 * `apiKey`, and `tenantId`, since browsers give neither a WebSocket nor an EventSource headers. No admin key
 * may stand there, for addresses end up in logs. The function throws ServiceError `unauthorized` or
 * `forbidden`; `read` rejects with them for a token that is new, and as `Tenants.rulesFor` does.
 */
export function createWatcher({
  admit,
}: Runner): (service: Service, res: HttpResponse, req: HttpRequest) => Watch {
  return (service, res, req) => {
    const query = new URLSearchParams(req.getQuery() ?? '');
    const shown = query.get('access_token') ?? query.get('apiKey');
    const tenantId = query.get('tenantId') ?? readTenantId(req);
    query.delete('access_token');
    query.delete('apiKey');
    query.delete('tenantId');
    const presented = shown ?? presentedKey(req);
    const path = [decodePathPart(req.getParameter(0))];
    const text = query.toString();
    const key = withKey(service.admission.admit(res, req, presented), req, (known) => {
      if (shown !== null && known.kind !== 'application') {
        throw new ServiceError(
          'unauthorized',
          'apiKey must be an application key; an admin key goes into X-API-KEY',
        );
      }
      admit(known, path, text);
      return known;
    });
    let reader: ApiKey | null = null;
    let watched: WatchedLeaderboard | null = null;
    const watch: Watch = {
      name: '',
      keyId: null,
      tenant: null,
      read: async () => {
        reader = await key;
        let rules = await service.tenants.rulesFor(reader, namingTenant(tenantId));
        if (watched === null) {
          rules = (await service.rulesStore.loadNewer(rules)) ?? rules;
          watched = new WatchedLeaderboard(service, pagesOf(service), reader, path[0]!, text);
        }
        watch.keyId = reader.kind === 'application' ? reader.id : null;
        watch.tenant = rules.tenant;
        watch.name ||= JSON.stringify([rules.tenant, path, text, watched.readerOf(rules)]);
        return watched.read(rules);
      },
      assertValid: () => reader && service.admission.assertValid(reader, presented),
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
