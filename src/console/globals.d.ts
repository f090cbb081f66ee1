/** Put in by the build (vite.config.ts). */
declare const __FORM_SCHEMAS__: Record<
  import('../contract/formSchemas.ts').FormName,
  import('./ui/form/schema.ts').Schema
>;
declare const __VERSION__: string;
declare const __TEMPLATES__: Record<
  'learning' | 'fitness' | 'shop' | 'saas',
  import('./screens/start/starterConfigs.ts').StarterConfig
>;
