import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../src/base/packageRoot.ts';
import { replaceBlock } from '../tools/docs/blocks.ts';

/** Takes lines of Markdown. */
export type Print = (markdown: string) => void;

/** Results of a run by the block of the documentation that shows them. */
export class Report {
  readonly #blocks = new Map<string, string>();

  /** Prints to the terminal at once, and keeps what was printed for a block. */
  printTo(block: string): Print {
    return (markdown) => {
      console.log(markdown);
      this.#blocks.set(block, `${this.#blocks.get(block) ?? ''}${markdown}\n`);
    };
  }

  /** Puts the results into the blocks of a page that it has been given something for. */
  writeInto(path: string, blocks: readonly string[]): void {
    const file = join(packageRoot(), path);
    let page = readFileSync(file, 'utf8');
    for (const block of blocks) {
      const text = this.#blocks.get(block);
      if (text !== undefined) page = replaceBlock(page, block, text);
    }
    writeFileSync(file, page);
  }
}
