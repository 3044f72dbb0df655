-- A search for a face looks at the faces of all algorithms, and counts those that it cannot compare with.
DROP INDEX instance_faces_environment;
CREATE INDEX instance_faces_environment ON instance_faces
  (tenant_id, environment, created_at, instance_id, step, algorithm);
