interface Asked<Question, Answer> {
  question: Question;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

/**
 * Answers questions together. Those asked in one turn of the event loop, and those asked while the previous ones are being answered,
 * share one call, so that many concurrent tasks need few statements and none waits for a timer.
 */
export class Gatherer<Question, Answer> {
  readonly #answer: (questions: Question[]) => Promise<Answer[]>;
  readonly #atOnceMax: number;
  #asked: Asked<Question, Answer>[] = [];
  #isAnswering = false;

  /** @param answer returns one answer to each question, in the same order */
  constructor(atOnceMax: number, answer: (questions: Question[]) => Promise<Answer[]>) {
    this.#atOnceMax = atOnceMax;
    this.#answer = answer;
  }

  /** @throws what the shared call throws */
  ask(question: Question): Promise<Answer> {
    const answered = new Promise<Answer>((resolve, reject) => this.#asked.push({ question, resolve, reject }));
    if (!this.#isAnswering) {
      this.#isAnswering = true;
      setImmediate(() => void this.#answerAll());
    }
    return answered;
  }

  async #answerAll(): Promise<void> {
    while (this.#asked.length > 0) {
      const together = this.#asked.splice(0, this.#atOnceMax);
      try {
        const answers = await this.#answer(together.map(({ question }) => question));
        for (const [i, { resolve }] of together.entries()) resolve(answers[i]!);
      } catch (error) {
        for (const { reject } of together) reject(error);
      }
    }
    this.#isAnswering = false;
  }
}
