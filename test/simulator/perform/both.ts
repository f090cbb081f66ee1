import type { Model } from '../../support/model.ts';
import type { Books } from '../books.ts';
import { Excused, type Expected } from '../difference.ts';
import type { DueWork } from '../dueWork.ts';
import type { WorldOperation } from '../operations.ts';
import type { Answer, Service } from '../service.ts';
import type { ExpectedWebhooks } from '../webhooks/expectedWebhooks.ts';

/** An answer as the model expects it. */
export interface Expectation {
  status: number;
  body: Expected;
}

export const ERROR = new Excused('string', 'words of errors have tests of their own');
export const REFUSED: Expectation = { status: 422, body: { error: ERROR } };

/** The service and the model, which an operation changes in the same way. */
export interface Both {
  readonly service: Service;
  readonly model: Model;
  readonly books: Books;
  readonly dueWork: DueWork;
  readonly webhooks: ExpectedWebhooks;
  readonly now: number;
  /** Notes a difference between an answer and the expected one. */
  compare(call: string, answer: Answer, expected: Expectation): void;
  /** Compares some of what can be read of a user, or everything. */
  readUser(userId: string, isWhole?: boolean): Promise<void>;
  /** Compares what webhooks have got. */
  compareWebhooks(): Promise<void>;
  /** Compares rankings by their names. */
  readRankings(names: readonly string[]): Promise<void>;
}

/** How operations of one kind are done on both sides, and their answers compared. */
export type Performers<Op extends WorldOperation['op']> = {
  [Each in Op]: (both: Both, operation: Extract<WorldOperation, { op: Each }>) => Promise<void>;
};

/** Path of a user in the Application API; with `/admin` before it, in the Admin API. */
export const userPath = (id: string): string => `/v1/users/${encodeURIComponent(id)}`;
