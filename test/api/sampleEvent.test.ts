import { expect, test } from 'vitest';
import { planConfig } from '../../src/admin/files/applyConfig.ts';
import { sampleEvent } from '../../src/admin/installation/sampleEvent.ts';
import type { ConfigFile } from '../../src/contract/configured/configFile.ts';
import { emptyConfig } from '../../src/rules/config.ts';
import { START_MS } from '../support/testTime.ts';

const sampleFor = (file: ConfigFile) => sampleEvent(planConfig(emptyConfig(1), file, START_MS).config);

test('the event to try fits the configuration: its first metric, and the attribute city only if it exists', () => {
  const user = { id: 'ada', name: 'Ada', tz: 'Europe/Berlin' };
  const metrics = [{ key: 'pages', name: 'Pages' }];
  expect(sampleFor({ metrics })).toEqual({ metric: 'pages', body: { user, value: 1 } });
  expect(sampleFor({ metrics, attributes: { user: [{ key: 'city', name: 'City' }] } })).toEqual({
    metric: 'pages',
    body: { user: { ...user, attributes: { city: 'berlin' } }, value: 1 },
  });
  expect(sampleFor({})).toBeNull();
});
