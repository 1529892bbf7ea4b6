#!/bin/bash
# A PBS job that submits itself again until the run is done: qsub -v CONFIG=vortex.yaml pbs.sh
#PBS -N dgsolve
#PBS -l select=2:ncpus=32:mpiprocs=4
#PBS -l walltime=02:00:00
#PBS -r y

# The run stops by itself, with a checkpoint and status 75, ten minutes before its time is over.
# -r y: after the loss of a node PBS starts the job again by itself; --resume finds the newest checkpoint.
cd "$PBS_O_WORKDIR" || exit 5
mpirun dgsolve "$CONFIG" --resume --set time.wall="${WALL:-01:50:00}"
status=$?
if [ "$status" -eq 75 ]; then
  qsub -v CONFIG="$CONFIG" pbs.sh
fi
exit "$status"
