#!/bin/sh
#SBATCH --array=1-8
#SBATCH --cpus-per-task=2
#SBATCH --mem=8G
#SBATCH --time=01:00:00
# Eight parts of a set of problems, as an array of jobs:
#   sbatch slurm.sh problems/
#   redoubt merge part-*.jsonl
exec sh "${CLUSTER:-$SLURM_SUBMIT_DIR/docs/cluster}/part.sh" "$SLURM_ARRAY_TASK_ID" "$SLURM_ARRAY_TASK_COUNT" "$@"
