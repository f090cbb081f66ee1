import { lookup } from 'node:dns';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import ipaddr from 'ipaddr.js';
import { Agent, buildConnector } from 'undici';

/** The address is private, loopback, link-local or otherwise not of the public internet. */
export class PrivateAddressError extends Error {}

const CONNECTIONS_PER_ORIGIN = 16;
const CONNECT_MS_MAX = 5_000;
const LIMITS = { connections: CONNECTIONS_PER_ORIGIN, pipelining: 1 };

/**
 * Only these IPv6 addresses are assigned to the public internet. Others, such as ::127.0.0.1, may stand for
 * an IPv4 address.
 */
const PUBLIC_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Whether an IP address belongs to the public internet; an IPv4 address inside an IPv6 one counts as itself.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  return parsed.range() === 'unicast' && (parsed instanceof ipaddr.IPv4 || parsed.match(PUBLIC_IPV6));
}

/** Which addresses are allowed and how names are resolved; tests set these. */
export interface AgentOptions {
  mayConnect?: (address: string) => boolean;
  resolve?: typeof lookup;
}

/**
 * An agent that connects to public addresses only. It resolves a name once and connects only to the public
 * ones of its addresses. The address of the socket is checked again before anything is sent.
 */
export function createPublicAgent({
  mayConnect = isPublicAddress,
  resolve = lookup,
}: AgentOptions = {}): Agent {
  const refusal = (address = 'an unknown address'): Error =>
    new PrivateAddressError(`${address} is not a public address`);
  const lookupAllowed: LookupFunction = (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      const found = error ? [] : addresses.filter(({ address }) => mayConnect(address));
      const first = found[0];
      // The same error for an unknown name: authors of webhooks must not learn which internal names exist.
      if (first === undefined) {
        return callback(new PrivateAddressError(`${hostname} does not resolve to a public address`), '');
      }
      if (options.all) callback(null, found);
      else callback(null, first.address, first.family);
    });
  };
  const connect = buildConnector({ lookup: lookupAllowed, timeout: CONNECT_MS_MAX });
  return new Agent({
    ...LIMITS,
    connect: (options, callback) => {
      const host = options.hostname.replace(/^\[|\]$/g, '');
      // A literal address is not looked up, so the check of look-ups does not see it.
      if (isIP(host) && !mayConnect(host)) return callback(refusal(host), null);
      connect(options, (error, socket) => {
        if (error) return callback(error, null);
        const { remoteAddress } = socket as Socket;
        if (remoteAddress !== undefined && mayConnect(remoteAddress)) return callback(null, socket as Socket);
        (socket as Socket).destroy();
        callback(refusal(remoteAddress), null);
      });
    },
  });
}

export function createAgent(): Agent {
  return new Agent({ ...LIMITS, connect: { timeout: CONNECT_MS_MAX } });
}
