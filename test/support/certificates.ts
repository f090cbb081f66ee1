import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '../../src/embedded/commands.ts';
import { MACHINE_TIME } from './testTime.ts';

/** Paths of PEM files. */
export interface Certificates {
  ca: string;
  cert: string;
  key: string;
}

/** The stores that check the certificates keep the machine's time. */
const openssl = (args: string[]) => run('openssl', args, { env: MACHINE_TIME });

/** An authority of its own, and a certificate that it has given to 127.0.0.1 under this name. */
export async function createCertificates(home: string, name: string): Promise<Certificates> {
  const file = (kind: string): string => join(home, `${name}-${kind}.pem`);
  const authority = { ca: file('ca'), caKey: file('ca-key') };
  const own = {
    cert: file('cert'),
    key: file('key'),
    request: file('request'),
    extensions: file('extensions'),
  };
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const subject = ['-subj', `/CN=${name}`];
  await openssl([
    ...['req', '-x509', ...newKey, ...subject, '-days', '3650'],
    ...['-keyout', authority.caKey, '-out', authority.ca],
  ]);
  await openssl(['req', ...newKey, ...subject, '-keyout', own.key, '-out', own.request]);
  await writeFile(own.extensions, 'subjectAltName=IP:127.0.0.1');
  await openssl([
    ...[
      'x509',
      '-req',
      '-in',
      own.request,
      '-CA',
      authority.ca,
      '-CAkey',
      authority.caKey,
      '-CAcreateserial',
    ],
    ...['-days', '3650', '-extfile', own.extensions, '-out', own.cert],
  ]);
  return { ca: authority.ca, cert: own.cert, key: own.key };
}
