import type { ComponentChildren } from 'preact';
import type { AdminUser } from '../../../contract/adminUsers.ts';
import { useList } from '../../api/useApi.ts';
import { t } from '../../text/translate.ts';
import { type Choice, choicesOf, type Schema, type Value } from '../../ui/form/schema.ts';
import type { Reasoned } from '../../ui/ReasonForm.tsx';
import { adjustPoints, unfinishedOne } from './adjustPoints.ts';
import { AdjustmentEffect, type Chosen, GrantEffect, RevokeEffect } from './CorrectionEffect.tsx';
import { postToUser, useUserApi } from './userAddress.tsx';

export const AMOUNT: Schema = {
  type: 'integer',
  description: t('A negative amount takes points. The total stays between 0 and the maximum.'),
};

interface Correction {
  label: string;
  /** What it causes, and how to reverse it. */
  note: string;
  /** Name of the field with the key of an item, and the items. */
  choice: string;
  choices: Choice[];
  fields?: Record<string, Schema>;
  send(key: string, body: { reason: string } & Value): Promise<unknown>;
  /** Its effect on the user, once a key is chosen. */
  effectOf?(key: string, value: Value): ComponentChildren;
}

/** Corrections of points, achievements and leaderboards. Empty if there is nothing to choose from. */
export function useCorrections(user: AdminUser): Record<'adjust' | 'grant' | 'revoke' | 'hide', Reasoned[]> {
  const activeSystems = (useList('/points').data ?? []).filter(isActive);
  const systems = activeSystems.map(({ key }) => key);
  const boards = useList('/leaderboards').data ?? [];
  const completed = (useUserApi(user.id, '/achievements').data ?? []).flatMap(({ key, id, name }) =>
    key === undefined ? [] : [{ key, id, name }],
  );
  const active = (useList('/achievements').data ?? []).filter(isActive);
  const completedKeys = new Set(completed.map(({ key }) => key));
  const effectFor = (Effect: typeof GrantEffect, key: string, all: (Chosen & { key: string })[]) => {
    const achievement = all.find((one) => one.key === key);
    return achievement && <Effect {...{ user, achievement, systems }} />;
  };
  const to =
    (items: string, verb: string): Correction['send'] =>
    (key, body) =>
      postToUser(user.id, `/${items}/${encodeURIComponent(key)}/${verb}`, body);
  return {
    adjust: correct({
      label: t('Adjust points'),
      note: t('Levels and leaderboards follow the total. Boosts do not apply.'),
      choice: 'system',
      fields: { amount: AMOUNT },
      choices: choicesOf(activeSystems),
      send: (system, { amount, reason }) =>
        unfinishedOne.call({ user: user.id, system, amount, reason }, (idempotencyKey) =>
          adjustPoints(user.id, system, { amount, reason, idempotencyKey }),
        ),
      effectOf: (system, { amount }) => (
        <AdjustmentEffect {...{ user, system }} amount={Number(amount ?? 0)} />
      ),
    }),
    grant: correct({
      label: t('Grant achievement'),
      note: t(
        'This triggers points, webhooks and achievements that require it. To reverse it, revoke the achievement; its points are kept.',
      ),
      choice: 'achievement',
      choices: choicesOf(active.filter(({ key }) => !completedKeys.has(key))),
      send: to('achievements', 'grant'),
      effectOf: (key) => effectFor(GrantEffect, key, active),
    }),
    revoke: correct({
      label: t('Revoke achievement'),
      note: t(
        'Its points and the achievements that it completed are kept. Progress does not complete it again. To reverse this, grant it; its points are awarded again.',
      ),
      choice: 'achievement',
      choices: choicesOf(completed),
      send: to('achievements', 'revoke'),
      effectOf: (key) => effectFor(RevokeEffect, key, completed),
    }),
    hide: correct({
      label: t('Hide from leaderboard'),
      note: t(
        'The user loses the rank in each run that is not final. To reverse this, open the leaderboard.',
      ),
      choice: 'leaderboard',
      choices: choicesOf(boards.filter((board) => isActive(board) || board.status === 'scheduled')),
      send: to('leaderboards', 'hide'),
    }),
  };
}

function correct(correction: Correction): Reasoned[] {
  const { label, note, choice, choices, fields, send, effectOf } = correction;
  if (choices.length === 0) return [];
  return [
    {
      label,
      effect: <p>{note}</p>,
      done: t('Done. See the timeline and the audit log.'),
      fields: { [choice]: { type: 'string', choices }, ...fields },
      required: [choice, ...Object.keys(fields ?? {})],
      effectOf: (value) => {
        const key = value[choice];
        return typeof key === 'string' && key !== '' && effectOf?.(key, value);
      },
      work: (reason, { [choice]: key, ...body }) => send(String(key), { ...body, reason }),
    },
  ];
}

const isActive = ({ status }: { status: string }): boolean => status === 'active';
