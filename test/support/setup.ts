import { afterAll, expect } from 'vitest';
import './checkedFetch.ts';
import { noteTestFile } from './callNotes.ts';
import { watchState } from './leftovers.ts';

// Runs before every test file, although a worker keeps the modules that it has loaded. The hook runs after
// those of the file.
noteTestFile(expect.getState().testPath!);
afterAll(watchState());
