import { readEnv } from '../base/env.ts';
import { ServiceClient } from '../replay/serviceClient.ts';

/**
 * The service that a command calls: by default the one on this machine. The key is in LAUREL_ADMIN_KEY.
 * @param options as given on the command line
 */
export function runningService({
  url,
  tenant,
}: {
  url?: string | undefined;
  tenant?: string | undefined;
}): ServiceClient {
  const { adminKey, port } = readEnv();
  if (adminKey === null) throw new Error('LAUREL_ADMIN_KEY must be set to an admin key of the service');
  return new ServiceClient({
    url: url ?? `http://localhost:${port}`,
    key: adminKey,
    tenant: tenant ?? null,
  });
}
