import { generateKeyPairSync, verify } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ServiceAccount } from '../../src/base/envSenders.ts';

interface PushAnswer {
  status: number;
  body?: object;
  headers?: Record<string, string>;
}

export interface Push {
  token: string;
  notification: { title: string; body: string };
  data: { id: string; type: string };
}

export interface PushService {
  account: ServiceAccount;
  /** FCM_ENDPOINT */
  endpoint: string;
  pushes: Push[];
  /** How often an access token was asked for. */
  grants: number;
  /** null accepts a message for a device token. */
  answer: (token: string) => PushAnswer | null;
  /** Takes back the access tokens that were given. */
  revoke(): void;
  close(): Promise<void>;
}

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });

/** Errors as FCM answers them. */
export const UNREGISTERED: PushAnswer = {
  status: 404,
  body: {
    error: {
      code: 404,
      message: 'Requested entity was not found.',
      status: 'NOT_FOUND',
      details: [
        { '@type': 'type.googleapis.com/google.firebase.fcm.v1.FcmError', errorCode: 'UNREGISTERED' },
      ],
    },
  },
};
export const invalidArgument = (field: string): PushAnswer => ({
  status: 400,
  body: {
    error: {
      code: 400,
      message: 'The registration token is not a valid FCM registration token',
      status: 'INVALID_ARGUMENT',
      details: [
        { '@type': 'type.googleapis.com/google.firebase.fcm.v1.FcmError', errorCode: 'INVALID_ARGUMENT' },
        {
          '@type': 'type.googleapis.com/google.rpc.BadRequest',
          fieldViolations: [{ field, description: 'Invalid' }],
        },
      ],
    },
  },
});

/** Answers as Google's token endpoint and FCM's HTTP v1 API do. */
export async function startPushService(): Promise<PushService> {
  let generation = 0;
  const server = createServer(async (request, response) => {
    const body = await textOf(request);
    if (request.url === '/token') return grant(body, response);
    if (request.headers.authorization !== `Bearer access-${generation}`) {
      return send(response, { status: 401, body: { error: { code: 401, status: 'UNAUTHENTICATED' } } });
    }
    if (request.url !== '/v1/projects/test-project/messages:send') return send(response, { status: 404 });
    const { message } = JSON.parse(body) as { message: Push };
    const answer = service.answer(message.token);
    if (answer !== null) return send(response, answer);
    service.pushes.push(message);
    send(response, {
      status: 200,
      body: { name: `projects/test-project/messages/${service.pushes.length}` },
    });
  });

  function grant(body: string, response: ServerResponse): void {
    const form = new URLSearchParams(body);
    const [header, claims, signature] = form.get('assertion')!.split('.') as [string, string, string];
    const isSigned = verify(
      'RSA-SHA256',
      Buffer.from(`${header}.${claims}`),
      publicKey,
      Buffer.from(signature, 'base64url'),
    );
    const { iss, aud, scope } = JSON.parse(Buffer.from(claims, 'base64url').toString());
    const isRight =
      isSigned &&
      iss === service.account.client_email &&
      aud === service.account.token_uri &&
      scope === 'https://www.googleapis.com/auth/firebase.messaging';
    if (!isRight) {
      send(response, { status: 400, body: { error: 'invalid_grant' } });
      return;
    }
    service.grants++;
    send(response, {
      status: 200,
      body: { access_token: `access-${generation}`, expires_in: 3599, token_type: 'Bearer' },
    });
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const service: PushService = {
    account: {
      project_id: 'test-project',
      client_email: 'laurel@test-project.iam.gserviceaccount.com',
      private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      token_uri: `${endpoint}/token`,
    },
    endpoint,
    pushes: [],
    grants: 0,
    answer: () => null,
    revoke: () => generation++,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return service;
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text;
}

function send(response: ServerResponse, { status, body, headers }: PushAnswer): void {
  response
    .writeHead(status, { 'Content-Type': 'application/json', ...headers })
    .end(JSON.stringify(body ?? {}));
}
