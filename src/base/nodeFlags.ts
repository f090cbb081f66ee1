/**
 * Flags of Node for servers and workers. Most objects live no longer than a request. A larger young
 * generation makes the garbage collector copy far fewer of them. package.json and the Dockerfile pass the
 * same flags.
 */
export const NODE_FLAGS = ['--max-semi-space-size=32'];
