import { AdminKeys, Tenants } from '../adminAccess.ts';
import { withBounds } from '../bounds.ts';
import { type DeclaredKind, KINDS, type Kinds } from '../kinds/allKinds.ts';
import { consoleForm } from '../kinds/kindSchemas.ts';
import { UpdateSettings } from '../settings.ts';
import { UpdateUser } from '../user.ts';
import { MessageTexts } from '../userMessages.ts';
import { UpdateStreakSettings } from './adminConfiguration.ts';
import { ConfigFileSchema } from './configFile.ts';

type ListName = Kinds[DeclaredKind]['list'];
const kindForms = () =>
  Object.fromEntries(Object.values(KINDS).map((kind) => [kind.list, consoleForm(kind)])) as Record<
    ListName,
    ReturnType<typeof consoleForm>
  >;

/** Schemas of what the forms of the console fill in, by name. */
export const formSchemas = () => ({
  ...kindForms(),
  streak: withBounds(UpdateStreakSettings.request, ConfigFileSchema.properties.streak),
  settings: withBounds(UpdateSettings.request, ConfigFileSchema.properties.settings),
  tenants: Tenants.create,
  adminKeys: AdminKeys.create,
  user: UpdateUser.request,
  messages: MessageTexts,
});

export type FormName = keyof ReturnType<typeof formSchemas>;
