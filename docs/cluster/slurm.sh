#!/bin/bash
# A Slurm job that puts itself back into the queue until the run is done: sbatch slurm.sh CONFIG.yaml
#SBATCH --job-name=dgsolve
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=4
#SBATCH --gpus-per-node=4
#SBATCH --time=02:00:00
#SBATCH --signal=USR1@300
#SBATCH --requeue
#SBATCH --open-mode=append

# --signal: five minutes before its time is over the ranks get SIGUSR1, write a checkpoint and end with status 75.
# --requeue: after preemption or the loss of a node Slurm starts the job again by itself; --resume finds the newest checkpoint.
srun --kill-on-bad-exit=1 dgsolve "$1" --resume
status=$?
if [ "$status" -eq 75 ]; then
  scontrol requeue "$SLURM_JOB_ID"
fi
exit "$status"
