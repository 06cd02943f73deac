import {
  IconBrandGithub,
  IconBrandGitlab,
  IconCircleDot,
  IconPipeline,
  IconWebhook,
  type Icon,
} from '@tabler/icons-react';
import type { SourceKind } from '../../api/queries.ts';

/** By the names that the server gives them. */
export const icons: Record<SourceKind['icon'], Icon> = {
  github: IconBrandGithub,
  gitlab: IconBrandGitlab,
  circle: IconCircleDot,
  pipeline: IconPipeline,
  webhook: IconWebhook,
};
