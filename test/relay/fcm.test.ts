import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  DeadTokenError,
  FcmClient,
  PushDelayedError,
  PushRefusedError,
} from '../../src/notifications/messages/fcm.ts';
import { invalidArgument, type PushService, startPushService, UNREGISTERED } from '../support/pushService.ts';

const MESSAGE = { id: 'delivery-1', type: 'recap', title: 'Your week', body: 'Twelve lessons' };

let service: PushService;
let client: FcmClient;
beforeEach(async () => {
  service = await startPushService();
  client = new FcmClient(service.account, service.endpoint);
});
afterEach(() => service.close());

const failure = (token = 'device'): Promise<Error> =>
  client.send(token, MESSAGE).then(
    () => expect.fail('was sent'),
    (error) => error,
  );

describe('a push notification', () => {
  test('reaches a device; the access token is asked for once', async () => {
    await Promise.all([client.send('one', MESSAGE), client.send('two', MESSAGE)]);
    await client.send('three', MESSAGE);
    expect(service.pushes.map(({ token }) => token).toSorted()).toEqual(['one', 'three', 'two']);
    expect(service.pushes[0]).toMatchObject({
      notification: { title: 'Your week', body: 'Twelve lessons' },
      data: { id: 'delivery-1', type: 'recap' },
    });
    expect(service.grants).toBe(1);
  });

  test('goes on with a new access token when the old one was taken back', async () => {
    await client.send('one', MESSAGE);
    service.revoke();
    await client.send('two', MESSAGE);
    expect([service.pushes.length, service.grants]).toEqual([2, 2]);
  });
});

describe('a failure', () => {
  test.each([
    ['UNREGISTERED', UNREGISTERED],
    ['INVALID_ARGUMENT of the token', invalidArgument('message.token')],
  ])('%s is the end of a device token', async (_name, answer) => {
    service.answer = () => answer;
    expect(await failure()).toBeInstanceOf(DeadTokenError);
  });

  test('INVALID_ARGUMENT of something else is the end of the message alone', async () => {
    service.answer = () => invalidArgument('message.notification.title');
    expect(await failure()).toBeInstanceOf(PushRefusedError);
  });

  test.each([
    [429, '7', 7_000],
    [503, '1', 1_000],
    [500, null, null],
  ])('%d may pass, after Retry-After %s', async (status, header, retryAfterMs) => {
    service.answer = () => ({ status, ...(header !== null && { headers: { 'Retry-After': header } }) });
    const error = await failure();
    expect(error).toBeInstanceOf(PushDelayedError);
    expect(error).toMatchObject({ retryAfterMs });
  });

  test('403 is final', async () => {
    service.answer = () => ({
      status: 403,
      body: { error: { message: 'SenderId mismatch', status: 'PERMISSION_DENIED' } },
    });
    expect(await failure()).toMatchObject({ message: '403 SenderId mismatch' });
    expect(await failure()).toBeInstanceOf(PushRefusedError);
  });

  test('of the token endpoint or of the connection may pass', async () => {
    const wrong = { ...service.account, client_email: 'somebody@else.example' };
    client = new FcmClient(wrong, service.endpoint);
    expect((await failure()).message).toContain('FCM refused access: 400');
    client = new FcmClient({ ...service.account, token_uri: 'http://127.0.0.1:1/token' }, service.endpoint);
    expect(await failure()).toBeInstanceOf(PushDelayedError);
  });
});
