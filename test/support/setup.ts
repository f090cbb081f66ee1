import { expect } from 'vitest';
import './checkedFetch.ts';
import { noteTestFile } from './callNotes.ts';

// Runs before every test file, although a worker keeps the modules that it has loaded.
noteTestFile(expect.getState().testPath!);
