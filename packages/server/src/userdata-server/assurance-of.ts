import { type Assurance, showAssurance } from '../process-manager/assurance/show-assurance.ts';
import type { InstanceData } from '../process-manager/runtime/instance-data.ts';

export function assuranceOf({ instance, definition, flow, checks }: InstanceData): Assurance {
  return showAssurance({ definition, flow, checks, environment: instance.environment });
}
