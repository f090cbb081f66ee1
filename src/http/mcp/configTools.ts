import type { ApplyReport } from '../../admin/files/applyReport.ts';
import { ServiceError } from '../../base/errors.ts';
import { invalid } from '../request/refuse.ts';
import { type Arguments, callOperation, routeNamed, type ToolCaller } from './operationCalls.ts';
import { operationTool, type Tool, withTenant } from './tool.ts';

const file = {
  type: 'string',
  description:
    'Text of a configuration file, YAML or JSON. search_docs and docs page configuration.md say what it may contain.',
};
const dryRun = {
  type: 'boolean',
  default: true,
  description: 'Report what would change, and change nothing.',
};

const putConfig = routeNamed('adminPutConfig');

const apply = (caller: ToolCaller, given: Arguments, isDry: boolean): Promise<ApplyReport> => {
  const { file: items, tenant } = given;
  if (typeof items !== 'string') throw invalid('file must be the text of a configuration file');
  return callOperation(caller, putConfig, {
    items,
    dryRun: isDry,
    ...(tenant !== undefined && { tenant }),
  }) as Promise<ApplyReport>;
};

/** A list inside a points system replaces the stored one, so a file can delete even without `prune`. */
function assertDeletesNothing({ deleted }: ApplyReport): void {
  if (deleted.length === 0) return;
  const items = deleted.map(({ kind, key }) => `${kind} ${key}`).join(', ');
  throw invalid(
    `This would delete ${items}. Tools delete nothing: keep them in the file, or let a person run laurel apply`,
  );
}

const validateConfig: Tool = {
  name: 'validate_config',
  description:
    'Check a configuration file against laurel and the stored configuration. Changes nothing. All faults are named with line and column.',
  role: 'admin',
  input: withTenant({ type: 'object', properties: { file }, required: ['file'] }),
  run: async (caller, given) => {
    try {
      await apply(caller, given, true);
      return { valid: true, faults: null };
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'invalid')
        return { valid: false, faults: error.message };
      throw error;
    }
  },
};

const applyConfig: Tool = {
  name: 'apply_config',
  description:
    'Apply a configuration file, whole or not at all. Begin with a dry run, show its report to the person, and apply only if the person agrees. ' +
    'Items are matched by key; items that the file does not list stay. A file that would delete something is refused.',
  role: 'admin',
  input: withTenant({ type: 'object', properties: { file, dryRun }, required: ['file'] }),
  run: async (caller, given) => {
    if (given.dryRun !== undefined && typeof given.dryRun !== 'boolean')
      throw invalid('dryRun must be true or false');
    const report = await apply(caller, given, true);
    if (given.dryRun !== false) return { dryRun: true, ...report };
    assertDeletesNothing(report);
    return { dryRun: false, ...(await apply(caller, given, false)) };
  },
};

export const CONFIG_TOOLS: Tool[] = [
  operationTool(
    'read_config',
    'adminGetConfig',
    'Read the whole configuration as the content of a configuration file.',
  ),
  validateConfig,
  applyConfig,
];
