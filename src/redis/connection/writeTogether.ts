import type { Redis } from 'ioredis';

/**
 * Writes the commands of one turn to a node together: this takes one system call here, and Redis reads and
 * answers them at once. Automatic pipelines of ioredis send nothing while one of them waits for its replies.
 */
export function writeTogether(node: Redis): void {
  const send = node.sendCommand.bind(node);
  let isCorked = false;
  node.sendCommand = (...args) => {
    const { stream } = node;
    if (!isCorked && stream?.writable) {
      isCorked = true;
      stream.cork();
      process.nextTick(() => {
        isCorked = false;
        stream.uncork();
      });
    }
    return send(...args);
  };
}
