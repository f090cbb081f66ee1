// Prints the failed tests of all runs, whose JSON reports are in the given directory, and then the counts.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const MESSAGE_CHARS = 2_000;

const directory = process.argv[2];
const runs = readdirSync(directory).map((file) => JSON.parse(readFileSync(join(directory, file), 'utf8')));

for (const file of runs.flatMap((run) => run.testResults)) {
  const failed = file.assertionResults.filter((test) => test.status === 'failed');
  for (const test of failed) {
    console.log(
      `FAILED ${file.name}: ${test.fullName}\n${test.failureMessages.join('\n').slice(0, MESSAGE_CHARS)}\n`,
    );
  }
  if (file.status === 'failed' && failed.length === 0) {
    console.log(`FAILED ${file.name}\n${file.message.slice(0, MESSAGE_CHARS)}\n`);
  }
}
const sum = (count) => runs.reduce((total, run) => total + run[count], 0);
console.log(`${sum('numPassedTests')} passed, ${sum('numFailedTests')} failed`);
