-- Finds the notifications that were sent for an instance, when it is redacted.
CREATE INDEX push_notifications_parent ON push_notifications (tenant_id, parent_instance_id)
  WHERE parent_instance_id IS NOT NULL;
