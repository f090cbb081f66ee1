import { SentinelConnector as BaseConnector } from 'ioredis';

/**
 * Asks Sentinels for the primary. While it is connected, it listens to them, so that it follows a failover
 * although the replaced primary keeps the connection open.
 *
 * ioredis goes on listening after the connection was lost: if it heard of the failover while it asked for the
 * primary, it would never connect again, and after a `quit` the connections to the Sentinels would stay open.
 */
export class SentinelConnector extends BaseConnector {
  override async connect(
    ...args: Parameters<BaseConnector['connect']>
  ): ReturnType<BaseConnector['connect']> {
    const stream = await super.connect(...args);
    // Ends the listening, too, which begins with the connection: not again after each attempt that fails.
    stream.once('connect', () => stream.once('close', () => this.disconnect()));
    return stream;
  }
}
