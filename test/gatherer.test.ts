import { expect, test } from 'vitest';
import { Gatherer } from '../src/base/gatherer.ts';

/** Records the calls, and answers them when the test says so. */
function recording(atOnceMax: number) {
  const calls: { questions: number[]; answer(): void; fail(): void }[] = [];
  const gatherer = new Gatherer<number, number>(
    atOnceMax,
    (questions) =>
      new Promise((resolve, reject) =>
        calls.push({
          questions,
          answer: () => resolve(questions.map((question) => question * 10)),
          fail: () => reject(new Error('no answer')),
        }),
      ),
  );
  return { calls, gatherer };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('questions of one turn share a call, and those asked meanwhile share the next one', async () => {
  const { calls, gatherer } = recording(10);
  const first = [1, 2].map((question) => gatherer.ask(question));
  await turn();
  const second = [3, 4, 5].map((question) => gatherer.ask(question));
  await turn();
  expect(calls.map(({ questions }) => questions)).toEqual([[1, 2]]);
  calls[0]!.answer();
  expect(await Promise.all(first)).toEqual([10, 20]);
  expect(calls[1]!.questions).toEqual([3, 4, 5]);
  calls[1]!.answer();
  expect(await Promise.all(second)).toEqual([30, 40, 50]);
});

test('a call answers a limited number of questions', async () => {
  const { calls, gatherer } = recording(2);
  const asked = [1, 2, 3].map((question) => gatherer.ask(question));
  await turn();
  calls[0]!.answer();
  await asked[0];
  calls[1]!.answer();
  expect(await Promise.all(asked)).toEqual([10, 20, 30]);
  expect(calls.map(({ questions }) => questions)).toEqual([[1, 2], [3]]);
});

test('a call that fails fails its questions, and not the later ones', async () => {
  const { calls, gatherer } = recording(10);
  const first = gatherer.ask(1);
  await turn();
  calls[0]!.fail();
  await expect(first).rejects.toThrow('no answer');
  const second = gatherer.ask(2);
  await turn();
  calls[1]!.answer();
  expect(await second).toBe(20);
});
