import { createRequire } from 'node:module';

type Uws = typeof import('uWebSockets.js');

/** What decides whether a build of uWebSockets.js loads. */
export interface Platform {
  node: string;
  os: string;
  cpu: string;
  /** Version of glibc; undefined with another C library. */
  glibc: string | undefined;
}

/**
 * uWebSockets.js. This is the only module that loads it; docs/deployment.md says where it runs and how to use
 * another build.
 * @throws Error of one sentence, if there is no build that loads here
 */
export function loadUws(): Uws {
  try {
    return createRequire(import.meta.url)('uWebSockets.js') as Uws;
  } catch (cause) {
    throw new Error(unsupported(currentPlatform()), { cause });
  }
}

export function unsupported({ node, os, cpu, glibc }: Platform): string {
  const library = os !== 'linux' ? '' : glibc === undefined ? ' without glibc' : ` with glibc ${glibc}`;
  return (
    `uWebSockets.js does not load on Node ${node} for ${os} ${cpu}${library}: ` +
    'use Node 20, or Node 22, 24 or 25 with glibc 2.38 or newer (Debian 13, Ubuntu 24.04)'
  );
}

function currentPlatform(): Platform {
  const { header } = process.report.getReport() as unknown as { header: { glibcVersionRuntime?: string } };
  return {
    node: process.versions.node,
    os: process.platform,
    cpu: process.arch,
    glibc: header.glibcVersionRuntime,
  };
}
