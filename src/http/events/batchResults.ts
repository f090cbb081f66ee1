import { ServiceError } from '../../base/errors.ts';
import type { BatchEventResult, RecordEventBatch } from '../../contract/event.ts';
import type { OperationResponse } from '../request/endpoint.ts';

/** The results of the items of a batch, which come part by part. */
export class BatchResults {
  readonly #results: BatchEventResult[];
  /** Results of the present part that are awaited. */
  #left = 0;
  #complete = (): void => {};

  constructor(items: number) {
    this.#results = new Array<BatchEventResult>(items);
  }

  /** Begins a part of `count` items. The promise resolves with the last result of the part. */
  next(count: number): Promise<void> {
    this.#left = count;
    return new Promise((resolve) => {
      this.#complete = resolve;
    });
  }

  add(index: number, result: BatchEventResult): void {
    this.#results[index] = result;
    this.#left--;
    if (this.#left === 0) this.#complete();
  }

  /**
   * The response, once all results are here.
   * @param isShown whether it contains the result of each item
   * @throws ServiceError `unavailable` if events may be lost and the results are not shown
   */
  response(isShown: boolean): OperationResponse<typeof RecordEventBatch> {
    const results = this.#results;
    const accepted = results.filter(({ error, held }) => error === undefined && !held).length;
    const held = results.flatMap((result, index) =>
      result.held ? [{ index, eventId: result.eventId! }] : [],
    );
    const lost = results.filter(({ status }) => status >= 500).length;
    if (lost > 0 && !isShown) {
      const message = `${lost} of ${results.length} events may not be recorded; repeat them with their idempotency keys`;
      throw new ServiceError('unavailable', message);
    }
    const refused = results.flatMap(({ event: _event, error, ...result }, index) =>
      error === undefined ? [] : [{ index, error, ...result }],
    );
    const body = { accepted, refused, ...(held.length > 0 && { held }), ...(isShown && { results }) };
    return { status: 202, body };
  }
}
