/**
 * Flags of Node for the roles. Most of what a request allocates dies with it: with room for more of it, far fewer objects
 * are copied by the garbage collector. package.json and the Dockerfile give the same to roles that are started by hand.
 */
export const NODE_FLAGS = ['--max-semi-space-size=32'];
